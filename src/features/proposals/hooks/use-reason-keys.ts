'use client'
import { useEffect, useRef } from 'react'
import { REASON_CODES, type ReasonCode } from '#domain/proposal/decision.rules.ts'

/** A digit that is typed before the note chooses the reason of that number; behind other text it is a part of the note. */
export function useReasonKeys(choose: (code: ReasonCode) => void): void {
  const chosen = useRef(choose)
  useEffect(() => {
    chosen.current = choose
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const code = REASON_CODES[Number(event.key) - 1]
      const { target } = event
      const atStart = target instanceof HTMLTextAreaElement && target.value === ''
      if (!code || !atStart || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      event.preventDefault()
      chosen.current(code)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
