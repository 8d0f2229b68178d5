// Package periodicity finds the periods of a profile.
package periodicity
