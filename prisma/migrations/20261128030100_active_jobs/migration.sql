-- An agent has at most one job at work, so the few that are found by job_lane are all that the reaper and the polls have to look at. An index of leases
-- and one of polls cost every transition of those jobs an entry, and every job four records of the log.
DROP INDEX job_lease;
DROP INDEX job_poll;
