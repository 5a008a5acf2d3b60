import { describe, expect, it } from 'vitest'
import { type AuditVerification, auditVerification, auditVerifications } from '#contracts/audit.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { VerificationPanel, VerifyButton } from './verification-panel.tsx'

const t = textsOf('audit')
const DONE: AuditVerification = {
  verification_id: 'ver_1',
  requested_by: 'owner',
  started_at: '2026-11-22T10:00:00.000Z',
  finished_at: '2026-11-22T10:00:02.000Z',
  stage: 'mirror',
  to_seq: 30,
  objects_expected: 30,
  events_checked: 30,
  objects_checked: 30,
  heads_checked: 2,
  waiting: 0,
  ok: true,
  faults: [],
  losses: [],
  last_error: null,
}
const RUNNING: AuditVerification = {
  ...DONE,
  finished_at: null,
  ok: null,
  stage: 'chain',
  events_checked: 12,
  objects_checked: 0,
}

async function open(...answers: (AuditVerification | null)[]) {
  let n = 0
  let verified = 0
  const audit = router({
    verification: query(auditVerifications, () => ({
      newest: answers[Math.min(n++, answers.length - 1)] ?? null,
    })),
    verify: mutation(auditVerification, () => {
      verified++
      return RUNNING
    }),
  })
  const screen = await renderInConsole(
    <>
      <VerifyButton />
      <VerificationPanel />
    </>,
    { procedures: { audit } },
  )
  return { ...screen, verified: () => verified }
}

describe('the verification panel', () => {
  it('says that nothing was verified, starts one, and shows its progress and its outcome', async () => {
    const screen = await open(null, DONE)
    await expect.element(screen.getByText(t('neverVerified'))).toBeVisible()
    await screen.getByRole('button', { name: t('verify') }).click()
    await expect.element(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '12')
    await expect.element(screen.getByText(t('verified'), { exact: true })).toBeVisible()
    await expect.element(screen.getByText(t('verifiedBy', { by: 'owner' }))).toBeVisible()
    expect(screen.verified()).toBe(1)
    await expectAccessible()
  })

  it('names each fault with its event', async () => {
    const event_id = 'evt_01M81DY7NBA53AF8DF918AA041'
    const faults: AuditVerification['faults'] = [
      {
        stage: 'heads',
        problem: 'signed_head_contradicts',
        seq: 24,
        event_id: null,
        key: 'audit/heads/24.dsse.json',
      },
      { stage: 'objects', problem: 'object_differs', seq: 5, event_id, key: 'audit/20261122/x.json' },
    ]
    const screen = await open({ ...DONE, ok: false, faults })
    await expect.element(screen.getByText(t('broken'))).toBeVisible()
    await expect.element(screen.getByText('audit/heads/24.dsse.json')).toBeVisible()
    await expect
      .element(screen.getByRole('link', { name: event_id }))
      .toHaveAttribute('href', `/audit?id=${event_id}`)
    expect(screen.verified()).toBe(0)
    await expectAccessible()
  })

  it('names events that a rebuild declared lost, and is not silent about them where all else holds', async () => {
    const losses = [{ from: 41, to: 60, event_id: 'evt_lost', declared_at: '2026-11-22T09:00:00.000Z' }]
    const screen = await open({ ...DONE, losses })
    await expect.element(screen.getByText(t('verifiedWithLosses', { count: 20 }))).toBeVisible()
    await expect.element(screen.getByText(t('lost', { from: 41, to: 60, count: 20 }))).toBeVisible()
    await expect
      .element(screen.getByRole('link', { name: 'evt_lost' }))
      .toHaveAttribute('href', '/audit?id=evt_lost')
    await expectAccessible()
  })

  it('says why one under way does not go on', async () => {
    const screen = await open({ ...RUNNING, last_error: 'the store is away' })
    await expect
      .element(screen.getByText(t('verificationWaits', { reason: 'the store is away' })))
      .toBeVisible()
  })
})
