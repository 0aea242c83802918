/**
 * The floor: the minimum of every function. Hono, one validated route, and the document client with the commands that the
 * table port uses; nothing of the platform.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import * as z from 'zod'

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}))
const commands = {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
}

const app = new Hono()
app.post('/', zValidator('json', z.object({ name: z.string() })), async (context) => {
  const { name } = context.req.valid('json')
  const Command = commands.GetCommand
  const found = await client.send(new Command({ TableName: name, Key: { pk: name, sk: name } }))
  return context.json({ found: found.Item ?? null, commands: Object.keys(commands) })
})

export const handler = handle(app)
