// Package past says what the stored runs mean for one of them: what a look at its
// application and at others on its machine has found comes in, the findings of a report
// (changes of speed, scaling) go out.
package past
