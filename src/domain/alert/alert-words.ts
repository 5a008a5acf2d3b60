import type { RuleName } from './conditions.ts'

/** The languages of the console, in which alerts are mailed as well. */
export const ALERT_LANGUAGES = ['en', 'uk'] as const
export type AlertLanguage = (typeof ALERT_LANGUAGES)[number]

/** What a rule is called, on the page and in messages to mailboxes. */
export const RULE_TITLES: Record<AlertLanguage, Record<RuleName, string>> = {
  en: {
    JobQueuedTooLong: 'Jobs queued too long',
    DeadJobRate: 'High dead job rate',
    DeadJobs: 'Dead jobs',
    ArtifactWriteFailing: 'Artifact writes failing',
    ContextTimeouts: 'Context assembly timing out',
    NlmDown: 'NotebookLM backend failing',
    RunFailures: 'Runs failing',
    RunSlow: 'Slow runs',
    AgentFailing: 'Agent failing',
    ProposalWaiting: 'Proposals pending too long',
    ApplyFailing: 'Applies failing',
    WorkerLost: 'Worker lost',
    FenceRefusals: 'Stale writes refused',
    StorageDown: 'Storage unavailable',
    StorageFull: 'Disk filling up',
    AuditLag: 'Audit behind',
    AuditBroken: 'Audit verification failed',
    RemoteLag: 'Git remote out of sync',
    LeaderMissing: 'No primary for a project',
    TermRegression: 'Leadership lease overwritten',
    RefusalBurst: 'Burst of refused requests',
    SloBurn: 'Error budget burning',
  },
  uk: {
    JobQueuedTooLong: 'Завдання надто довго в черзі',
    DeadJobRate: 'Висока частка мертвих завдань',
    DeadJobs: 'Мертві завдання',
    ArtifactWriteFailing: 'Не вдається записати артефакти',
    ContextTimeouts: 'Контекст не встигає зібратися',
    NlmDown: 'Збої сервісу NotebookLM',
    RunFailures: 'Запуски завершуються помилкою',
    RunSlow: 'Повільні запуски',
    AgentFailing: 'Збої агента',
    ProposalWaiting: 'Пропозиції надто довго очікують',
    ApplyFailing: 'Збої застосування пропозицій',
    WorkerLost: 'Виконавець зник',
    FenceRefusals: 'Відхилено застарілі записи',
    StorageDown: 'Сховище недоступне',
    StorageFull: 'Диск заповнюється',
    AuditLag: 'Аудит відстає',
    AuditBroken: 'Перевірку аудиту не пройдено',
    RemoteLag: 'Віддалений репозиторій відстає',
    LeaderMissing: 'Проєкт без основного вузла',
    TermRegression: 'Оренду лідерства перезаписано',
    RefusalBurst: 'Сплеск відхилених запитів',
    SloBurn: 'Бюджет помилок вичерпується',
  },
}
