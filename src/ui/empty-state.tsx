import type { ReactNode } from 'react'

type Props = {
  title: ReactNode
  /** What belongs here. */
  children?: ReactNode
  /** The one act that makes the first. */
  action?: ReactNode
  icon?: ReactNode
}

/** An empty page teaches: what belongs here, and the one action that makes the first. */
export function EmptyState({ title, children, action, icon }: Props) {
  return (
    <div className="mx-auto grid max-w-md justify-items-center gap-2 px-4 py-14 text-center">
      {icon ? <div className="mb-1 text-ink-3 [&>svg]:size-7 [&>svg]:stroke-[1.5]">{icon}</div> : null}
      <p className="text-md font-medium text-ink">{title}</p>
      {children ? <div className="text-base text-ink-2">{children}</div> : null}
      {action ? <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  )
}
