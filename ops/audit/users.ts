import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { profileKey } from '#shared/accounts/users/user.ts'
import { auditHeadRows, auditRows } from '#shared/platform/identity/rows.ts'

export interface AuditedUser {
  userId: string
  /** True if the user's account row exists. Its creation was the first audit entry. */
  hasProfile: boolean
}

/**
 * Returns every user with an account or with audit rows. It reads the whole table: an index would list only the users
 * whose rows have its keys.
 */
export async function auditedUsers(source: {
  tableName: string
  endpoint: string | undefined
}): Promise<AuditedUser[]> {
  const { tableName: TableName, endpoint } = source
  const client = new DynamoDBClient({ ...(endpoint !== undefined && { endpoint }) })
  const pages = paginateScan(
    { client: DynamoDBDocumentClient.from(client) },
    {
      TableName,
      ProjectionExpression: 'pk, sk',
      FilterExpression:
        'begins_with(pk, :user) AND (sk = :profile OR sk = :head OR begins_with(sk, :entry))',
      ExpressionAttributeValues: {
        ':user': userPrefix,
        ':profile': profileKey,
        ':head': auditHeadRows.sk({}),
        ':entry': auditRows.prefix(),
      },
    },
  )
  const users = new Map<string, AuditedUser>()
  for await (const { Items = [] } of pages)
    for (const { pk, sk } of Items) {
      const userId = String(pk).slice(userPrefix.length)
      const hasProfile = sk === profileKey || users.get(userId)?.hasProfile === true
      users.set(userId, { userId, hasProfile })
    }
  client.destroy()
  return [...users.values()]
}

const userPrefix = auditRows.pk({ userId: '' })
