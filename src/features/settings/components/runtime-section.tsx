'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { RuntimeConfig } from '#contracts/runtime-settings.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useAction } from '#lib/keyboard.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useRight, useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { useInvalidate } from '../use-invalidate.ts'
import { ChangeControlPlane } from './change-control-plane.tsx'
import { QuerySection } from './query-section.tsx'

/** The control plane that the runtime calls, whether it answered the last test, and where the key of programs is found. */
export function RuntimeSection() {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const { role } = useSession()
  const config = useQuery(trpc.runtime.config.queryOptions(undefined, { refetchInterval: POLL_MS.slow }))
  return (
    <QuerySection title={t('runtime')} hint={t('runtimeHint')} query={config} lines={5}>
      {(shown) => (
        <>
          <FieldList rows={rowsOf(t, shown)} />
          <div className="mt-3 flex flex-wrap gap-2">
            <TestConnection />
            {may(role, 'runtime.configure') ? <ChangeControlPlane config={shown} /> : null}
          </div>
        </>
      )}
    </QuerySection>
  )
}

type Texts = ReturnType<typeof useTranslations<'settings'>>

const rowsOf = (t: Texts, config: RuntimeConfig) => [
  {
    label: t('controlPlane'),
    value: (
      <>
        <code className="break-all font-mono text-sm">{config.membridge_server_url}</code>
        <span className="block text-sm text-ink-3">{t(`controlPlaneSource.${config.source}`)}</span>
      </>
    ),
  },
  {
    label: t('adminKey'),
    value: config.admin_key_masked ? (
      <code className="font-mono text-sm">{config.admin_key_masked}</code>
    ) : (
      t('none')
    ),
  },
  { label: t('connection'), value: <Connection config={config} /> },
  { label: t('machineKey'), value: t('machineKeyWhere') },
]

/** What the last test found, said aloud when it changes, and when: the age changes by itself and is not said. */
function Connection({ config: { connected, last_test: test } }: { config: RuntimeConfig }) {
  const t = useTranslations('settings')
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      <span role="status">
        {test ? (
          <StatusBadge tone={connected ? 'done' : 'failed'}>
            {t(connected ? 'connected' : 'notConnected')}
          </StatusBadge>
        ) : (
          t('notTested')
        )}
        {test?.fault ? <span className="block text-ink-2">{t(`connectionFaults.${test.fault}`)}</span> : null}
        {test?.error ? <span className="block text-sm text-ink-3">{test.error}</span> : null}
      </span>
      {test ? <RelativeTime at={test.at} className="text-ink-3" /> : null}
    </span>
  )
}

function TestConnection() {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const no = useRight('runtime.test')
  const onSuccess = useInvalidate('runtime')
  const test = useToastMutation(trpc.runtime.testConnection.mutationOptions({ onSuccess }), {
    done: ({ connected }) => (connected ? t('connectionWorks') : null),
  })
  const run = () => {
    if (!test.isPending) test.mutate()
  }
  useAction({
    ...{ id: 'settings.testConnection', label: t('testConnection'), group: t('title'), run },
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <Button disabledReason={no} busy={test.isPending} onClick={run}>
      {t('testConnection')}
    </Button>
  )
}
