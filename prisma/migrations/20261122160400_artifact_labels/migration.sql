-- What an artifact is found by: its own tags with those that proposals added (a projection of the garden), and its words. The artifact
-- itself never changes.
CREATE TABLE artifact_labels (
  artifact_id text PRIMARY KEY REFERENCES artifact,
  -- [{tag, by, at, proposal_id}] in the order of adding
  added       jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(added) = 'array'),
  -- the document's and the added ones
  tags        text[] NOT NULL,
  -- title and tags, one a line
  words       text NOT NULL,
  -- the git object of the annotations that this row was made of
  annotations text
);
CREATE INDEX artifact_labels_tags ON artifact_labels USING gin (tags);
CREATE INDEX artifact_labels_words ON artifact_labels USING gin (words gin_trgm_ops);
CREATE INDEX artifact_labels_annotated ON artifact_labels (artifact_id) WHERE annotations IS NOT NULL;

CREATE FUNCTION artifact_words(title text, tags text[]) RETURNS text LANGUAGE sql STABLE
  RETURN concat_ws(E'\n', title, nullif(array_to_string(tags, E'\n'), ''));

-- An artifact is found by its own tags from the statement on that makes it.
CREATE FUNCTION artifact_labelled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO artifact_labels (artifact_id, tags, words)
    SELECT artifact_id, tags, artifact_words(title, tags) FROM made;
  RETURN NULL;
END $$;
CREATE TRIGGER artifact_labelled AFTER INSERT ON artifact REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION artifact_labelled();

-- Tags and words follow from the artifact and what was added to it.
CREATE FUNCTION artifact_relabelled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT t.tags, artifact_words(a.title, t.tags) INTO NEW.tags, NEW.words
    FROM artifact a CROSS JOIN LATERAL (
      SELECT a.tags || ARRAY(SELECT e.value ->> 'tag' FROM jsonb_array_elements(NEW.added) WITH ORDINALITY AS e(value, n)
        WHERE e.value ->> 'tag' <> ALL (a.tags) ORDER BY e.n) AS tags) t
    WHERE a.artifact_id = NEW.artifact_id;
  RETURN NEW;
END $$;
CREATE TRIGGER artifact_relabelled BEFORE UPDATE OF added ON artifact_labels
  FOR EACH ROW EXECUTE FUNCTION artifact_relabelled();

INSERT INTO artifact_labels (artifact_id, tags, words) SELECT artifact_id, tags, artifact_words(title, tags) FROM artifact;
DROP INDEX artifact_words;

-- Which proposal a note's summary comes from: the newest that was applied to the same target.
CREATE INDEX proposal_applied ON proposal (target_key, updated_at DESC) WHERE git_commit IS NOT NULL;
