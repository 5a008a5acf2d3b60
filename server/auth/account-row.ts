import type { Caller, Role } from '#domain/authority/caller.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    account: { role: 'owner' | 'operator' }
    session: { role: Extract<Role, 'owner' | 'operator' | 'guest'>; via: Caller['via'] }
  }
}

/** The account's form in the audit: `owner`, or `operator:<name>`. */
export const identityOf = (account: { role: string; name: string }): string =>
  account.role === 'owner' && account.name === 'owner' ? 'owner' : `${account.role}:${account.name}`
