-- Whether guests of a zone may send suggestions; an owner turns it on. A suggestion is an inbox entry with a source of its own.
ALTER TABLE zone ADD COLUMN suggestions boolean NOT NULL DEFAULT false;

ALTER TABLE inbox_entry DROP CONSTRAINT inbox_entry_source_type_check;
ALTER TABLE inbox_entry ADD CONSTRAINT inbox_entry_source_type_check
  CHECK (source_type IN ('ui', 'agent', 'cron', 'webhook', 'mcp', 'api', 'zone'));
