import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  DeleteCommand,
  type DeleteCommandInput,
  type DeleteCommandOutput,
  DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  type GetCommandOutput,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb'
import { awsAccount } from '#carrier'

/** The DynamoDB operations that the table port uses, with plain values. */
export interface Send {
  get(input: GetCommandInput): Promise<Pick<GetCommandOutput, 'Item'>>
  getMany(
    input: BatchGetCommandInput,
  ): Promise<Pick<BatchGetCommandOutput, 'Responses' | 'UnprocessedKeys'>>
  put(input: PutCommandInput): Promise<unknown>
  update(input: UpdateCommandInput): Promise<Pick<UpdateCommandOutput, 'Attributes'>>
  delete(input: DeleteCommandInput): Promise<Pick<DeleteCommandOutput, 'Attributes'>>
  query(input: QueryCommandInput): Promise<Pick<QueryCommandOutput, 'Items' | 'LastEvaluatedKey'>>
  transact(input: TransactWriteCommandInput): Promise<unknown>
}

/** Sends with the document client. @param endpoint a DynamoDB endpoint other than AWS's */
export function sendByClient(endpoint: string | undefined): Send {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      ...awsAccount,
      ...(endpoint !== undefined && { endpoint }),
      maxAttempts: 4,
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  return {
    get: (input) => client.send(new GetCommand(input)),
    getMany: (input) => client.send(new BatchGetCommand(input)),
    put: (input) => client.send(new PutCommand(input)),
    update: (input) => client.send(new UpdateCommand(input)),
    delete: (input) => client.send(new DeleteCommand(input)),
    query: (input) => client.send(new QueryCommand(input)),
    transact: (input) => client.send(new TransactWriteCommand(input)),
  }
}
