import * as rule from '#contracts/approval-rule.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { createRule, editRule, orderRules, removeRule } from './change-rules.ts'
import { dryRun } from './dry-run.ts'
import { openDisagreements } from './dry-run-token.ts'
import { allRules, ruleViews } from './rule-row.ts'
import { setRuleMode, turnRuleOn } from './turn-rule.ts'

const AT = '/api/v1/proposals/rules' as const

/** Approval rules: operators see them, the owner alone writes them; turning one on asks for the password. */
export const approvalRuleOperations = operations(
  'approvalRules',
  {
    list: read('rule.read', {
      summary: 'List approval rules in the order of their evaluation',
      rest: `GET ${AT}`,
      output: rule.ruleList,
      run: async ({ services: { db } }) => ({ items: await ruleViews(db, await allRules(db)) }),
    }),
    create: write('rule.manage', {
      summary: 'Create an approval rule; it is off',
      rest: `POST ${AT}`,
      status: 201,
      input: rule.createRuleInput,
      output: rule.ruleView,
      run: ({ services, caller }, input) => createRule(services, input, caller),
    }),
    edit: write('rule.manage', {
      summary: 'Edit an approval rule; one that is on falls back to shadow',
      rest: `PATCH ${AT}/{rule_id}`,
      input: rule.editRuleInput,
      output: rule.ruleView,
      run: ({ services, caller }, input) => editRule(services, input, caller),
    }),
    remove: write('rule.manage', {
      summary: 'Remove an approval rule',
      rest: `DELETE ${AT}/{rule_id}`,
      input: rule.ruleRef,
      output: rule.ruleRef,
      run: ({ services, caller }, input) => removeRule(services, input, caller),
    }),
    order: write('rule.manage', {
      summary: 'Change the order of approval rules',
      rest: `POST ${AT}/order`,
      input: rule.orderRulesInput,
      output: rule.ruleList,
      run: ({ services, caller }, input) => orderRules(services, input, caller),
    }),
    setMode: write('rule.manage', {
      summary: 'Turn an approval rule off, or to shadow',
      rest: `POST ${AT}/{rule_id}/mode`,
      input: rule.setRuleModeInput,
      output: rule.ruleView,
      run: ({ services, caller }, input) => setRuleMode(services, input, caller),
    }),
    turnOn: write('rule.manage', {
      summary: 'Turn an approval rule on, with the token of its dry run',
      rest: `POST ${AT}/{rule_id}/turn-on`,
      stepUp: true,
      input: rule.turnRuleOnInput,
      output: rule.ruleView,
      run: ({ services, caller }, input) => turnRuleOn(services, input, caller),
    }),
    // It reads for long and writes nothing, so it holds no transaction.
    dryRun: write('rule.manage', {
      summary: 'Test a rule on past proposals; changes nothing',
      rest: `POST ${AT}/dry-run`,
      transaction: 'own',
      input: rule.dryRunInput,
      output: rule.dryRunResult,
      run: ({ services, caller }, input) => dryRun(services, input, caller),
    }),
    opened: write('rule.manage', {
      summary: 'Say which disagreements of a dry run were opened',
      rest: `POST ${AT}/dry-run/opened`,
      input: rule.openedInput,
      output: rule.openedAnswer,
      run: ({ services, caller }, input) =>
        openDisagreements(services.env.BLOOM_SESSION_KEY, input, caller.identity),
    }),
  },
  'Approval rules',
)
