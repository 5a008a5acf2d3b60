/** The kinds of variables, each with the sentence that names its rule. */
import path from 'node:path'
import { z } from 'zod'

/** Keys below 256 bits are refused. */
export const MIN_KEY_BYTES = 32

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']
export const isLoopbackHost = (host: string): boolean => LOOPBACK.includes(host)

export const port = (byDefault: number) =>
  z.coerce
    .number('must be a port number')
    .int()
    .min(1, 'must be a port number')
    .max(65_535, 'must be at most 65535')
    .default(byDefault)
export const wholeNumber = (byDefault: number, min: number, max: number) =>
  z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .default(byDefault)
export const wholeDays = z.coerce
  .number('must be a number of days')
  .int('must be a whole number of days')
  .min(1, 'must be at least 1 day')
  .max(36_500, 'must be at most 36500 days')
export const flag = z
  .enum(['0', '1'], 'must be 0 or 1')
  .default('0')
  .transform((value) => value === '1')
export const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((value) => value.replace(/\/+$/, ''))
export const key = z
  .string('is missing')
  .refine((value) => Buffer.byteLength(value) >= MIN_KEY_BYTES, `must have at least ${MIN_KEY_BYTES} bytes`)
export const list = z
  .string()
  .default('')
  .transform((value) => value.split(/[\s,]+/).filter(Boolean))
/** Origins as browsers send them: exact, none by default. */
export const origins = list.refine(
  (all) => all.every(isOrigin),
  'must list origins such as https://host:port',
)
export const directory = z.string().transform((value) => path.resolve(value))
export const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a postgresql:// address (npm start brings up a PostgreSQL of its own and sets it)',
})

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
