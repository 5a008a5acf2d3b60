import type { ReactNode } from 'react'
import { DocumentTitle } from '#lib/document-title.tsx'
import { breakable } from './breakable.tsx'

type Props = {
  title: ReactNode
  /** One sentence that sums up the current state. */
  sentence?: ReactNode
  /** The one primary action. */
  action?: ReactNode
  /** What comes before the title: a link back, a kind. */
  above?: ReactNode
}

/** The head of a page: title, one sentence, one primary action. Below another page (`above`) it names the tab too. */
export function PageHeader({ title, sentence, action, above }: Props) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 pb-4">
      {above && typeof title === 'string' ? <DocumentTitle name={title} /> : null}
      <div className="min-w-0 flex-1 basis-64">
        {above ? <div className="mb-1 text-sm text-ink-3">{above}</div> : null}
        <h1 className="text-xl font-semibold tracking-tight text-ink">
          {typeof title === 'string' ? breakable(title) : title}
        </h1>
        {sentence ? <p className="mt-1 max-w-prose text-base text-ink-2">{sentence}</p> : null}
      </div>
      {action ? (
        <div data-chrome className="flex flex-wrap items-center gap-2 pt-0.5">
          {action}
        </div>
      ) : null}
    </header>
  )
}
