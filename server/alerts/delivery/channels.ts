import type { Channel } from '#domain/alert/delivery.rules.ts'
import type { Env } from '#server/env.ts'

export type ChannelEnv = Pick<
  Env,
  | 'ALERT_WEBHOOK_URL'
  | 'ALERT_WEBHOOK_SECRET'
  | 'SMTP_URL'
  | 'ALERT_EMAIL_TO'
  | 'ALERT_EMAIL_FROM'
  | 'ALERT_ADDRESSES'
  | 'ALERT_LANGUAGE'
  | 'PUBLIC_URL'
>

/** The channels that this installation has. */
export const channelsOf = ({ ALERT_WEBHOOK_URL, SMTP_URL }: ChannelEnv): Channel[] => [
  ...(ALERT_WEBHOOK_URL ? (['webhook'] as const) : []),
  ...(SMTP_URL ? (['email'] as const) : []),
]

/** Who sends: the given address, the account of the SMTP server where that is one, else one of the console's host. */
export function senderOf({ ALERT_EMAIL_FROM, SMTP_URL, PUBLIC_URL }: ChannelEnv): string {
  const account = SMTP_URL ? decodeURIComponent(new URL(SMTP_URL).username) : ''
  return (
    ALERT_EMAIL_FROM ?? (account.includes('@') ? account : `garden-bloom@${new URL(PUBLIC_URL).hostname}`)
  )
}
