import * as z from 'zod'
import { chatHistory } from '../../../shared/chat/history.ts'
import { chatMessage, historyQuery } from '../../../shared/chat/schema.ts'
import { route } from './services.ts'

export const getHistory = route({
  method: 'GET',
  path: '/api/chat',
  summary: 'The last messages with an agent, oldest first',
  tag: 'chat',
  guard: 'session',
  query: historyQuery,
  response: z.object({ messages: z.array(chatMessage), count: z.number() }),
  errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
  handle: async ({ table, actor }, { query }) => {
    const messages = await chatHistory(table, actor.user.id, query)
    return { messages, count: messages.length }
  },
})
