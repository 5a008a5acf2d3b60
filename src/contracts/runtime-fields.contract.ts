/** The fields that tasks, workers and reports share on the wire of BLOOM Runtime ([runtime#wire]). */
import { z } from 'zod'

export const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength
export const ms = z.number().int()
export const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u

export const label = z.string().trim().min(1).max(64).regex(oneLine, 'must be one line')
export const labels = z.array(label).max(64)
export const reasonText = z.string().trim().min(1).max(500)
