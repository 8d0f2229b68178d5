// Package past says what the stored runs mean for one of them: histories of its
// application and of others on its machine come in, the findings of a report
// (changes of speed, scaling) and the rows of the history that go with them go out.
package past
