import { type ReactNode, useId } from 'react'

type Props = { title?: ReactNode; hint?: ReactNode; actions?: ReactNode; children: ReactNode }

/** A part of a page, set apart by type and space, without a box. */
export function Section({ title, hint, actions, children }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={title ? id : undefined} className="mt-8 first:mt-0">
      {title || actions ? (
        <div className="mb-2.5 flex flex-wrap items-baseline justify-between gap-2">
          <div>
            <h2 id={id} className="text-base font-semibold text-ink">
              {title}
            </h2>
            {hint ? <p className="mt-0.5 text-sm text-ink-3">{hint}</p> : null}
          </div>
          {actions ? <div className="flex items-center gap-2">{actions}</div> : null}
        </div>
      ) : null}
      {children}
    </section>
  )
}
