import type { AlertList } from '#contracts/alert.contract.ts'

/** What the page asks for; the server and the browser ask alike. */
export const STANDING: AlertList = { show: 'standing', limit: 100 }
export const CLOSED: Pick<AlertList, 'show'> = { show: 'closed' }
