import { z } from 'zod'
import { addressList } from '#server/outbound/address-rules.ts'
import { parseOrigin } from '#server/outbound/guarded-fetch.ts'
import { protectSecrets } from '#server/redaction/redact.ts'

/**
 * The environment of the NotebookLM Backend ([nlm-backend#how-to-try-it]). It is separate from the product's own, because the
 * backend may run alone elsewhere: it generates nothing, and a missing secret stops it, naming the variable and never a value.
 */
const key = z.string('is missing').refine((v) => Buffer.byteLength(v) >= 32, 'must have at least 32 bytes')
const list = z
  .string()
  .default('')
  .transform((v) => v.split(/[\s,]+/).filter(Boolean))
const origin = (text: string) => {
  try {
    return parseOrigin(text)
  } catch {
    return null
  }
}
const origins = list.refine(
  (all) => all.every((o) => origin(o) !== null),
  'must list origins such as https://host:port',
)
const addresses = list.refine((all) => {
  try {
    return addressList(all) !== undefined
  } catch {
    return false
  }
}, 'must list addresses or networks such as 10.1.0.0/16')

const schema = z.object({
  NLM_HOST: z.string().default('127.0.0.1'),
  NLM_PORT: z.coerce
    .number('must be a port number')
    .int()
    .min(0)
    .max(65_535, 'must be at most 65535')
    .default(8080),
  NOTEBOOKLM_API_KEY: key,
  MEMBRIDGE_CALLBACK_TOKEN: key,
  MEMBRIDGE_CALLBACK_SIGNING_KEY: key,
  /** Base address of the Artifact Store API, e.g. `http://127.0.0.1:3000/api/v1`. */
  ARTIFACT_API_URL: z
    .url({ protocol: /^https?$/, error: 'must be the http or https address of the Artifact Store API' })
    .transform((v) => v.replace(/\/+$/u, '').replace(/\/artifacts$/u, '')),
  NLM_ALLOWED_ORIGINS: origins.refine((all) => all.length > 0, 'is missing'),
  /** Private addresses that the names of listed origins may lead to. */
  NLM_ALLOWED_ADDRESSES: addresses,
  /** The one origin that gets the callback token; that of ARTIFACT_API_URL when not given. */
  NLM_CALLBACK_ORIGIN: z
    .string()
    .refine((v) => origin(v) !== null, 'must be an origin')
    .optional(),
  /** Origins that browsers may call from (CORS); none by default. */
  ALLOWED_ORIGINS: origins,
  /** When set, `/metrics` asks for it as a bearer. */
  NLM_METRICS_KEY: key.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
})

export type NlmEnv = Readonly<
  Omit<z.infer<typeof schema>, 'NLM_CALLBACK_ORIGIN'> & { NLM_CALLBACK_ORIGIN: string }
>

/** The environment cannot be used; one line for each fault, free of values. */
export class NlmEnvFault extends Error {
  constructor(faults: string[]) {
    super(`The environment is not usable:\n${faults.map((f) => `  ${f}`).join('\n')}`)
    this.name = 'NlmEnvFault'
  }
}

/** Reads the environment; throws NlmEnvFault. An empty variable counts as not given. */
export function loadNlmEnv(source: Record<string, string | undefined>): NlmEnv {
  const parsed = schema.safeParse(
    Object.fromEntries(Object.entries(source).filter(([, v]) => v !== undefined && v !== '')),
  )
  if (!parsed.success)
    throw new NlmEnvFault(parsed.error.issues.map((i) => `${String(i.path[0])}: ${lineOf(i)}`))
  const env = parsed.data
  const callback = origin(env.NLM_CALLBACK_ORIGIN ?? new URL(env.ARTIFACT_API_URL).origin) ?? ''
  const listed = new Set(env.NLM_ALLOWED_ORIGINS.map(parseOrigin))
  const faults = [
    ...(listed.has(new URL(env.ARTIFACT_API_URL).origin)
      ? []
      : ['ARTIFACT_API_URL: its origin is not in NLM_ALLOWED_ORIGINS']),
    ...(listed.has(callback) ? [] : ['NLM_CALLBACK_ORIGIN: is not in NLM_ALLOWED_ORIGINS']),
  ]
  if (faults.length > 0) throw new NlmEnvFault(faults)
  protectSecrets([
    env.NOTEBOOKLM_API_KEY,
    env.MEMBRIDGE_CALLBACK_TOKEN,
    env.MEMBRIDGE_CALLBACK_SIGNING_KEY,
    ...(env.NLM_METRICS_KEY ? [env.NLM_METRICS_KEY] : []),
  ])
  return Object.freeze({ ...env, NLM_CALLBACK_ORIGIN: callback })
}

const lineOf = (issue: { message: string; code?: string; input?: unknown }) =>
  /received undefined/u.test(issue.message) ? 'is missing' : issue.message
