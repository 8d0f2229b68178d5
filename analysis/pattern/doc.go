// Package pattern turns the instances of a period into its representative shape.
package pattern
