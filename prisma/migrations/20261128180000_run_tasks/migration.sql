-- A call of step 02 that asks a language model is an LLM Task, as one that asks the NotebookLM Backend is a job.
ALTER TABLE run_call ADD COLUMN task_id uuid;

-- Tasks of runs that are still to be answered: what is cancelled when their run has ended.
CREATE INDEX llm_task_awaited ON llm_task (run_id) WHERE run_id IS NOT NULL AND ended_at IS NULL;
