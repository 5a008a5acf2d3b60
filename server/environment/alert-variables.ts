/** Where alerts are sent [alerts#delivery]: a webhook with the secret that signs it, and e-mail over an SMTP server. */
import { z } from 'zod'
import { ALERT_LANGUAGES } from '#domain/alert/alert-words.ts'
import { isAddressList } from '#server/outbound/address-rules.ts'
import { key, list } from './variables.ts'

export const alertVariables = {
  ALERT_WEBHOOK_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .refine((url) => !new URL(url).username, 'must not hold credentials')
    .optional(),
  ALERT_WEBHOOK_SECRET: key.optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' }).optional(),
  ALERT_EMAIL_TO: list.refine(
    (all) => all.every((one) => z.email().safeParse(one).success),
    'must list e-mail addresses',
  ),
  ALERT_EMAIL_FROM: z.email('must be an e-mail address').optional(),
  /** The language of e-mails: who reads them has chosen none here. */
  ALERT_LANGUAGE: z.enum(ALERT_LANGUAGES, 'must be en or uk').default('en'),
  /** Private addresses and networks that the names of the webhook and the SMTP server may lead to. */
  ALERT_ADDRESSES: list.refine(isAddressList, 'must list addresses or networks such as 10.1.0.0/16'),
}

type Given = Partial<Record<keyof typeof alertVariables, string | readonly string[] | undefined>>

/** What is wrong between these variables, by variable. */
export const alertFaults = (env: Given): [variable: string, message: string][] =>
  (
    [
      ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET'],
      ['SMTP_URL', 'ALERT_EMAIL_TO'],
    ] as const
  )
    .filter(([one, other]) => Boolean(env[one]) !== Boolean(env[other]?.length))
    .map(([one, other]) => [one, `goes together with ${other}`])
