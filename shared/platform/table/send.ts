import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  DeleteCommandInput,
  DeleteCommandOutput,
  GetCommandInput,
  GetCommandOutput,
  PutCommandInput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteCommandInput,
  UpdateCommandInput,
  UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb'

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
