import { z } from 'zod'

/** Account names stand in the audit as `operator:<name>`. */
export const accountName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{1,39}$/, 'use 2 to 40 of a-z, 0-9, dot, dash')
/** Bounds of what is read at all; which passwords are taken is a rule of the domain. */
const password = z.string().min(1).max(512)

export const credentials = z.object({ name: z.string().min(1).max(64), password }).strict()
export const linkToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/** Sign-in of programs [auth#sessions]: an account's credentials, or a zone code with the consent to its terms. */
export const tokenRequest = z.union([
  credentials,
  z
    .object({ zone_code: z.string().min(1).max(64), consent_version: z.number().int().min(1).optional() })
    .strict(),
])
export const tokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_at: z.iso.datetime(),
    role: z.enum(['owner', 'operator', 'guest']),
  })
  .strict()

export const stepUpRequest = z.object({ password }).strict()
export const setPasswordRequest = z.object({ password, current: password.optional() }).strict()

export const createOperatorRequest = z.object({ name: accountName, password }).strict()
export const accountRef = z.object({ account_id: z.string().min(1).max(64) }).strict()
export const resetPasswordRequest = accountRef.extend({ password }).strict()

export const accountView = z
  .object({
    account_id: z.string(),
    role: z.enum(['owner', 'operator']),
    name: z.string(),
    has_password: z.boolean(),
    created_at: z.iso.datetime(),
    disabled_at: z.iso.datetime().nullable(),
    sessions: z.number().int(),
  })
  .strict()
export type AccountView = z.infer<typeof accountView>
