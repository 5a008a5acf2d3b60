import type { AlertMessage } from '#contracts/alert.contract.ts'
import type { AlertLanguage } from '#domain/alert/alert-words.ts'
import type { Severity } from '#domain/alert/condition.ts'
import type { ConditionName } from '#domain/alert/conditions.ts'

type Words = {
  states: Record<Exclude<AlertMessage['eventType'], 'incident.test'>, string>
  severities: Record<Severity, string>
  test: { subject: string; text: string }
  threshold: string
  resource: string
  opened: string
  closed: string
  seconds: string
  inARow: string
  budget: string
  measured: Record<ConditionName, string>
}

/** The words of e-mails about alerts. */
export const MAIL_WORDS: Record<AlertLanguage, Words> = {
  en: {
    states: {
      'incident.opened': 'opened',
      'incident.escalated': 'escalated',
      'incident.resolved': 'closed',
    },
    severities: { warning: 'warning', critical: 'critical' },
    test: { subject: 'Test message', text: 'This is a test of the e-mail channel for alerts.' },
    threshold: 'Threshold',
    resource: 'Resource',
    opened: 'Opened',
    closed: 'Closed',
    seconds: 's',
    inARow: 'in a row',
    budget: '× the error budget',
    measured: {
      jobs_queued: 'Jobs queued for more than 5 minutes',
      dead_rate: 'Dead jobs of all that ended in 7 days',
      dead_jobs: 'Dead jobs',
      artifact_writes: 'Failed artifact writes',
      contexts: 'Context timeouts',
      nlm_down: 'Unavailable for',
      nlm_errors: 'Failed calls in the last hour',
      nlm_refused: 'Calls refused (401 or 403) since the last answer',
      run_failures: 'Failed of the last 10 runs',
      run_p95: 'Run duration (p95) in the last hour',
      agent_failures: 'Failed runs',
      proposals_waiting: 'Proposals pending for more than 48 hours',
      proposals_expiring: 'Proposals that expire within 4 hours',
      applies: 'Failed applies',
      worker_silent: 'Last heartbeat, with leases held',
      node_silent: 'Last heartbeat of the Worker Node, with leases held',
      tasks_untaken: 'LLM Tasks queued for more than 2 minutes that no online worker can take',
      breaker_failures: 'Failed attempts of the Worker Node',
      breaker_openings: 'Breaker openings in the last hour',
      fence_refusals: 'Stale writes in 10 minutes',
      storage_down: 'Unavailable for',
      storage_used: 'Disk used',
      audit_unmirrored: 'Oldest event that is not mirrored',
      audit_unsigned: 'Oldest event without a signed head',
      audit_faults: 'Faults found by the last verification',
      remote_lag: 'Not pushed for',
      leader_missing: 'Projects without a primary',
      lease_incidents: 'Violations found in the leadership objects',
      refusals: 'Refused requests in 5 minutes',
      slo_6h: 'Job completion over 6 hours',
      slo_1h: 'Job completion over 1 hour',
    },
  },
  uk: {
    states: {
      'incident.opened': 'відкрито',
      'incident.escalated': 'важливість підвищено',
      'incident.resolved': 'закрито',
    },
    severities: { warning: 'попередження', critical: 'критичне' },
    test: { subject: 'Тестове повідомлення', text: 'Це перевірка надсилання тривог електронною поштою.' },
    threshold: 'Поріг',
    resource: 'Ресурс',
    opened: 'Відкрито',
    closed: 'Закрито',
    seconds: 'с',
    inARow: 'поспіль',
    budget: '× бюджет помилок',
    measured: {
      jobs_queued: 'Завдань у черзі понад 5 хвилин',
      dead_rate: 'Мертвих завдань з усіх завершених за 7 днів',
      dead_jobs: 'Мертвих завдань',
      artifact_writes: 'Невдалих записів артефактів',
      contexts: 'Перевищень часу збирання контексту',
      nlm_down: 'Недоступний',
      nlm_errors: 'Невдалих викликів за останню годину',
      nlm_refused: 'Відхилених викликів (401 або 403) від останньої відповіді',
      run_failures: 'Невдалих з останніх 10 запусків',
      run_p95: 'Тривалість запуску (p95) за останню годину',
      agent_failures: 'Невдалих запусків',
      proposals_waiting: 'Пропозицій очікують понад 48 годин',
      proposals_expiring: 'Пропозицій спливають протягом 4 годин',
      applies: 'Невдалих застосувань',
      worker_silent: 'Останній сигнал активності, з орендами',
      node_silent: 'Останній сигнал активності робочого вузла, з орендами',
      tasks_untaken: 'LLM-завдань у черзі понад 2 хвилини, які не може взяти жоден онлайн-вузол',
      breaker_failures: 'Невдалих спроб робочого вузла',
      breaker_openings: 'Спрацювань запобіжника за останню годину',
      fence_refusals: 'Застарілих записів за 10 хвилин',
      storage_down: 'Недоступне',
      storage_used: 'Використано диска',
      audit_unmirrored: 'Найстаріша подія без копії',
      audit_unsigned: 'Найстаріша подія без підпису',
      audit_faults: 'Помилок знайшла остання перевірка',
      remote_lag: 'Не надсилається',
      leader_missing: 'Проєктів без основного вузла',
      lease_incidents: 'Порушень в об’єктах лідерства',
      refusals: 'Відхилено запитів за 5 хвилин',
      slo_6h: 'Виконання завдань за 6 годин',
      slo_1h: 'Виконання завдань за 1 годину',
    },
  },
}
