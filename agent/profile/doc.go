// Package profile is the profile file of one node and run.
package profile
