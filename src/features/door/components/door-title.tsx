import type { ReactNode } from 'react'

/** Title and one sentence of a page before the door. */
export function DoorTitle({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className="mb-5">
      <h1 className="text-xl font-semibold tracking-tight text-ink">{title}</h1>
      {children ? <p className="mt-1.5 text-base text-ink-2">{children}</p> : null}
    </div>
  )
}

/** What was refused, said where one is looking; read out at once. */
export function DoorFault({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <p
      role="alert"
      className="mb-4 rounded border border-failed/40 bg-failed-soft px-3 py-2 text-sm text-ink"
    >
      {children}
    </p>
  )
}
