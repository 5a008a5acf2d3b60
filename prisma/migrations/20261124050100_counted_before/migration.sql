-- Counters of events that are new with this version (server/metrics): what was counted past is counted once here, so that pictures of the last
-- days and the totals begin where the ledger does. Events behind metric_position are counted by the worker as ever.
WITH counted AS MATERIALIZED (
SELECT e.ts AS at,
  CASE e.resource_type WHEN 'inbox' THEN 'garden_inbox_received_total' WHEN 'proposal' THEN 'garden_proposal_decisions_total'
    ELSE 'garden_job_transitions_total' END AS name,
  CASE e.resource_type WHEN 'inbox' THEN '{}'::jsonb
    WHEN 'proposal' THEN jsonb_build_object('decision', CASE e.transition WHEN 'approve' THEN 'approved' WHEN 'auto_approve' THEN 'auto_approved'
      WHEN 'undo' THEN 'undone' WHEN 'reject' THEN 'rejected' ELSE 'expired' END)
    ELSE jsonb_build_object('from', coalesce(e.from_status, 'none'), 'to', e.to_status) END AS labels
FROM metric_position p JOIN event_seal q ON q.seq <= p.seq JOIN event e ON e.id = q.event
WHERE (e.resource_type = 'inbox' AND e.transition = 'receive')
  OR (e.resource_type = 'proposal' AND (e.transition = 'undo' OR (e.from_status = 'PENDING' AND e.transition IN ('approve', 'auto_approve', 'reject', 'expire'))))
  OR (e.resource_type = 'job' AND e.transition IS NOT NULL AND e.to_status IS NOT NULL)
), totals AS (
  INSERT INTO metric_total (name, labels, count, sum) SELECT name, labels, count(*), count(*) FROM counted GROUP BY 1, 2
)

INSERT INTO metric_point (step, at, name, labels, count, sum)
SELECT s.step, date_bin(make_interval(secs => s.step), c.at, 'epoch'), c.name, c.labels, count(*), count(*)
FROM counted c CROSS JOIN (VALUES (60, 86400), (900, 90 * 86400)) AS s(step, kept)
WHERE c.at > now() - make_interval(secs => s.kept) GROUP BY 1, 2, 3, 4;
