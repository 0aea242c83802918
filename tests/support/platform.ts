import { inject } from 'vitest'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { clientOf } from './client.ts'
import { useLocalCredentials } from './credentials.ts'

export { call, type TestUser } from './client.ts'

/** The stack that all end-to-end tests share. */
export const stack = () => inject('stack')

export const {
  agentOf,
  agentsOf,
  asInternal,
  askForAgent,
  chat,
  historyOf,
  lifecycle,
  newSubscriber,
  newUser,
  provision,
  runningAgent,
  signIn,
  subscribe,
  untilStatus,
} = clientOf(stack)

/** The shared stack's table, for what no route shows. */
export function sharedTable() {
  useLocalCredentials()
  return dynamoTable({ tableName: stack().tableName, endpoint: stack().endpoints.dynamodb })
}
