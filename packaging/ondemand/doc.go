// Package ondemand tests the application for Open OnDemand that lies in this directory: manifest.yml and
// passenger_wsgi.py, which need Passenger and Python 3 of the distribution and nothing else.
//
// To install it, copy both files to /var/www/ood/apps/sys/jobgait on the portal's host, which must have jobgait and
// be able to read the users' histories (history.path or history.snapshots). JOBGAIT_PASSENGER=1 go test
// ./packaging/ondemand runs it under Apache and Passenger, as root, by hand.
//
// In come requests with a job id at most; out come the pages of the program jobgait, which runs with the user's rights.
// The application opens no file, and refuses to run as root.
package ondemand
