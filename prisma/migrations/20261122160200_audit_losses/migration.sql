-- Numbers of the chain that a verification found missing and declared lost by a rebuild of the ledger [audit#losses].
ALTER TABLE audit_verification ADD COLUMN losses jsonb NOT NULL DEFAULT '[]';
