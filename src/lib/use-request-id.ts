'use client'
import { useState } from 'react'
import { type ErrorCode, httpStatus } from '#domain/kernel/errors.ts'
import { toFault } from './fault.ts'
import { newId } from './new-id.ts'

const MISMATCH: ErrorCode = 'IDEMPOTENCY_MISMATCH'

/**
 * Names a request, so that one that is sent twice is carried out once. A request that was refused for good is over: the server answers its
 * repeat with the same refusal, so what is sent after it has another id. Where it stays open what became of it, the id stays.
 */
export function useRequestId() {
  const [id, setId] = useState(newId)
  const refused = (error: unknown) => {
    if (isRecorded(error)) setId(newId())
  }
  return { id, refused }
}

/** The refusal names the entry it was recorded with, or the id is another request's. A server that does not answer records none, and may keep the request. */
function isRecorded(error: unknown): boolean {
  const { code, details } = toFault(error)
  if (code === MISMATCH) return true
  const named = typeof details === 'object' && details !== null && 'inbox_id' in details
  return named && httpStatus(code as ErrorCode) < 500
}
