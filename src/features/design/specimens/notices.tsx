import { type Toast, toast } from '#lib/toasts.ts'
import { Button } from '#ui/button.tsx'
import { CodedError, CodedErrorLine } from '#ui/coded-error.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Icon } from '#ui/icon.tsx'
import { NavigationLine } from '#ui/navigation-progress.tsx'
import { Notice } from '#ui/notice.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import type { Specimen } from '../specimen.ts'
import { SAMPLE_FAULT } from './sample-fault.ts'

const nothing = () => undefined
const MESSAGES: readonly Omit<Toast, 'id'>[] = [
  {
    tone: 'working',
    text: 'Approved: Tidy the index',
    detail: 'You can undo this for 10 seconds.',
    action: { label: 'Undo', keys: 'u', run: nothing },
    ms: 10_000,
  },
  { tone: 'failed', text: 'The object store does not answer.', correlationId: SAMPLE_FAULT.correlation_id },
  { tone: 'done', text: 'Zone opened', link: { label: 'Open zone', href: '/design' } },
]

export const notices: Specimen = {
  name: 'Messages, errors and empty pages',
  of: [
    'toaster.tsx',
    'coded-error.tsx',
    'error-state.tsx',
    'object-error.tsx',
    'empty-state.tsx',
    'navigation-progress.tsx',
    'skeleton.tsx',
    'notice.tsx',
  ],
  states: [
    {
      name: 'messages',
      press: true,
      Show: () => (
        <div className="flex flex-wrap gap-2">
          {MESSAGES.map((message) => (
            <Button key={message.text} onClick={() => toast(message)}>
              {message.tone}
            </Button>
          ))}
        </div>
      ),
    },
    {
      name: 'error by its code',
      Show: () => (
        <>
          <CodedError
            sentence="The agent’s definition can’t be read."
            code="DEFINITION_INVALID"
            message="line 3: no name"
          />
          <CodedErrorLine
            sentence="The agent’s definition can’t be read."
            code="DEFINITION_INVALID"
            message="line 3: no name"
          />
        </>
      ),
    },
    { name: 'error', Show: () => <ErrorState error={SAMPLE_FAULT} onRetry={nothing} /> },
    {
      name: 'no such object',
      Show: () => (
        <ObjectError
          error={{ error: { code: 'NOT_FOUND', message: '' } }}
          onRetry={nothing}
          id="zzz"
          listHref="/jobs"
        />
      ),
    },
    {
      name: 'error while it is tried again',
      Show: () => <ErrorState error={SAMPLE_FAULT} onRetry={nothing} retrying />,
    },
    {
      name: 'error over older data',
      Show: () => <ErrorState error={new TypeError('fetch failed')} keepsData />,
    },
    {
      name: 'what is in the way',
      Show: () => (
        <>
          <Notice tone="failed" title="The lease can’t be read" detail="unexpected end of JSON">
            Promote a primary to write a new one.
          </Notice>
          <Notice tone="waiting" title="No primary is chosen">
            Choose one, or wait until a node reports.
          </Notice>
        </>
      ),
    },
    {
      name: 'empty page',
      Show: () => (
        <EmptyState
          icon={<Icon name="inbox" />}
          title="No proposals yet"
          action={<Button kind="primary">Run agent</Button>}
        >
          Agents put their proposals here.
        </EmptyState>
      ),
    },
    {
      name: 'page on its way',
      Show: () => (
        <div className="relative h-8 transform-gpu border border-line">
          <NavigationLine />
        </div>
      ),
    },
    { name: 'text to come', Show: () => <Skeleton lines={5} label="Loading" /> },
  ],
}
