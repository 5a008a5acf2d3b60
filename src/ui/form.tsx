'use client'
import type { ReactNode } from 'react'

/** A form that is sent by its button, by Enter in a field of one line, and by Ctrl/Cmd-Enter anywhere in it. */
export function Form({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
        event.preventDefault()
        // As the button does it: what is required is asked for first.
        event.currentTarget.requestSubmit()
      }}
    >
      {children}
    </form>
  )
}
