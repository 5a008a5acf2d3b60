-- Jobs and runs that ended, by part of their words. A row enters such an index once, with the transition that ends it; those that are still
-- moving are few, and are found along the indexes of their lists.
CREATE INDEX job_words ON job USING gin (title gin_trgm_ops) WHERE status IN ('COMPLETE', 'FAILED', 'DEAD');
CREATE INDEX run_words ON run USING gin (question gin_trgm_ops, summary gin_trgm_ops) WHERE status IN ('completed', 'failed', 'cancelled');
-- Pages show the end of these ids, by which they are found, too.
CREATE INDEX proposal_id_end ON proposal ("right"(proposal_id, 6));
CREATE INDEX run_id_end ON run ("right"(run_id, 6));
