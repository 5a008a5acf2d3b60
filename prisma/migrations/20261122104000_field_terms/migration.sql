-- A zone's lock after wrong codes, named as the field names it.
ALTER TABLE zone RENAME COLUMN wrong_tries TO failed_attempts;
ALTER TABLE zone RENAME COLUMN rests_until TO locked_until;
