import type { ReactNode } from 'react'

/** Title and one sentence of an auth page. */
export function AuthTitle({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className="mb-5">
      <h1 className="text-xl font-semibold tracking-tight text-ink">{title}</h1>
      {children ? <p className="mt-1.5 text-base text-ink-2">{children}</p> : null}
    </div>
  )
}

/** The error of an auth form; announced by screen readers. */
export function AuthError({ children }: { children: ReactNode }) {
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
