import {
  createTaskInput,
  taskCommandInput,
  taskDetail,
  taskListInput,
  taskPage,
  taskRef,
  taskView,
} from '#contracts/llm-task.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { createTask } from './create-task.ts'
import { cancelTask, requeueTask } from './operate-task.ts'
import { getTask, listTasks } from './runtime-lists.query.ts'
import { NO_TASK } from './seen-task.ts'

/** LLM Tasks in the console; programs have `/api/runtime` [runtime#wire]. */
export const taskOperations = operations('tasks', {
  list: read('task.read', {
    summary: 'List LLM Tasks, newest first',
    rest: null,
    input: taskListInput,
    output: taskPage,
    run: ({ services }, input) => listTasks(services.db, input),
  }),
  get: read('task.read', {
    summary: 'Get an LLM Task with its attempts, leases and history',
    rest: null,
    input: taskRef,
    output: taskDetail,
    run: async ({ services }, { id }) => {
      const task = await getTask(services.db, id)
      return task ? ok(task) : NO_TASK
    },
  }),
  create: write('task.submit', {
    summary: 'Create an LLM Task',
    rest: null,
    input: createTaskInput,
    output: taskView,
    run: async ({ services, caller }, input) => {
      const made = await createTask(services.db, input, caller)
      return made.ok ? ok(made.value.task) : made
    },
  }),
  requeue: write('task.operate', {
    summary: 'Requeue a failed or dead LLM Task',
    rest: null,
    input: taskCommandInput,
    output: taskView,
    // Where its key is taken in the same moment, it is rolled back and begins again.
    transaction: 'own',
    run: ({ services, caller }, { id, reason }) => requeueTask(services.db, { taskId: id, reason }, caller),
  }),
  cancel: write('task.operate', {
    summary: 'Cancel an LLM Task',
    rest: null,
    input: taskCommandInput,
    output: taskView,
    transaction: 'own',
    run: ({ services, caller }, { id, reason }) => cancelTask(services.db, { taskId: id, reason }, caller),
  }),
})
