'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { SessionView } from '#contracts/session.contract.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Section } from '#ui/section.tsx'
import { Countdown, RelativeTime } from '#ui/time.tsx'

/** The reader's sessions; one of them, or all others, can be signed out. */
export function SessionsSection() {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const list = useQuery(trpc.sessions.list.queryOptions(undefined, { refetchInterval: POLL_MS.idle }))
  const [asked, setAsked] = useState(false)
  const again = () => list.refetch()
  const endOthers = useToastMutation(trpc.sessions.endOthers.mutationOptions({ onSuccess: again }), {
    done: ({ ended }) => t('othersEnded', { count: ended }),
  })
  const others = list.data?.filter((s) => !s.current).length ?? 0
  return (
    <Section
      title={t('sessions')}
      hint={t('sessionsHint')}
      actions={others > 0 ? <Button onClick={() => setAsked(true)}>{t('signOutOthers')}</Button> : null}
    >
      <DataTable
        label={t('sessions')}
        columns={useSessionColumns(again)}
        rows={list.data}
        rowId={(s) => s.session}
        scope={`sessions ${list.dataUpdatedAt}`}
        error={list.error}
        onRetry={again}
        keyboard={false}
        empty={null}
      />
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={t('signOutOthersTitle', { count: others })}
        description={t('signOutOthersHint')}
        confirmLabel={t('signOutOthers')}
        tone="danger"
        onConfirm={() => endOthers.mutateAsync()}
      />
    </Section>
  )
}

function useSessionColumns(again: () => void) {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const end = useToastMutation(trpc.sessions.end.mutationOptions({ onSuccess: again }), {
    done: () => t('sessionEnded'),
  })
  const { mutate } = end
  return useMemo(
    () =>
      columnsOf<SessionView>([
        {
          id: 'via',
          header: t('session'),
          width: 'w-full',
          card: 'title',
          cell: (s) => (
            <>
              {t(s.via === 'api' ? 'viaApi' : 'viaConsole')}
              {s.current ? <span className="ml-2 text-sm text-done">{t('thisSession')}</span> : null}
            </>
          ),
        },
        { id: 'since', header: t('since'), card: 'fact', cell: (s) => <RelativeTime at={s.created_at} /> },
        {
          id: 'seen',
          header: t('lastSeen'),
          card: 'fact',
          cell: (s) => <RelativeTime at={s.last_seen_at} />,
        },
        {
          id: 'ends',
          header: t('expiresIn'),
          card: 'fact',
          align: 'end',
          cell: (s) => <Countdown until={s.expires_at} />,
        },
        {
          id: 'actions',
          header: '',
          name: t('signOut'),
          align: 'end',
          card: 'corner',
          cell: (s) =>
            s.current ? null : (
              <Button size="sm" kind="quiet" onClick={() => mutate({ session: s.session })}>
                {t('signOut')}
              </Button>
            ),
        },
      ]),
    [t, mutate],
  )
}
