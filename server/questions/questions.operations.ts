import * as question from '#contracts/question.contract.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { answerQuestion } from './answer-question.ts'
import { getQuestion, listQuestions } from './list-questions.query.ts'

export const questionOperations = operations('questions', {
  list: read('question.read', {
    summary: 'List questions of runs, newest first',
    rest: 'GET /api/v1/questions',
    input: question.questionListInput,
    output: question.questionList,
    run: async ({ services }, input) => ({ items: await listQuestions(services.db, input) }),
  }),
  get: read('question.read', {
    summary: 'Get a question with its answer',
    rest: 'GET /api/v1/questions/{question_id}',
    input: question.questionRef,
    output: question.questionView,
    run: async ({ services }, { question_id }) => {
      const found = await getQuestion(services.db, question_id)
      return found ? ok(found) : refuse({ code: 'NOT_FOUND', message: 'There is no such question.' })
    },
  }),
  answer: write('question.answer', {
    summary: 'Answer an open question, by choice or in your own words',
    rest: 'POST /api/v1/questions/{question_id}/answer',
    input: question.questionAnswerInput,
    output: question.questionView,
    run: ({ services, caller }, input) => answerQuestion(services, input, caller),
  }),
})
