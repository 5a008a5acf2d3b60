import type { ReactNode } from 'react'

type Props = {
  title: ReactNode
  /** What belongs here. */
  children?: ReactNode
  /** The one act that makes the first. */
  action?: ReactNode
  icon?: ReactNode
  /** `h1` where it is all that a page has. */
  as?: 'p' | 'h1'
}

/** An empty page teaches: what belongs here, and the one action that makes the first. */
export function EmptyState({ title, children, action, icon, as: Title = 'p' }: Props) {
  return (
    <div className="mx-auto grid max-w-md justify-items-center gap-2 px-4 py-14 text-center">
      {icon ? <div className="mb-1 text-ink-3 [&>svg]:size-7 [&>svg]:stroke-[1.5]">{icon}</div> : null}
      <Title className="text-md font-medium text-ink">{title}</Title>
      {children ? <div className="text-base text-ink-2">{children}</div> : null}
      {action ? <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  )
}
