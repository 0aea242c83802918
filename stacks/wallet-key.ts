import { namedGlobally } from './names.ts'

const { accountId } = aws.getCallerIdentityOutput()
const { partition } = aws.getPartitionOutput()

/** The only role that may use the key. It is declared with its function. */
const signer = $interpolate`arn:${partition}:iam::${accountId}:role/${namedGlobally('signer')}`

/**
 * The KMS key that encrypts the keys of wallets. The account administers it, but no policy of another role can
 * allow that role to use it. KMS rotates it automatically and still opens older ciphertexts.
 */
export const walletKey = new aws.kms.Key(
  'WalletKey',
  {
    description: `Keys of wallets, ${$app.name} ${$app.stage}`,
    enableKeyRotation: true,
    deletionWindowInDays: 30,
    policy: aws.iam.getPolicyDocumentOutput({
      statements: [
        {
          actions: ['kms:*'],
          resources: ['*'],
          principals: [
            { type: 'AWS', identifiers: [$interpolate`arn:${partition}:iam::${accountId}:root`] },
          ],
        },
        {
          effect: 'Deny',
          actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
          resources: ['*'],
          principals: [{ type: 'AWS', identifiers: ['*'] }],
          conditions: [{ test: 'ArnNotEquals', variable: 'aws:PrincipalArn', values: [signer] }],
        },
      ],
    }).json,
  },
  // SST retains tables and buckets by the stage's policy, but not keys. Without the key, the wallets' rows are worthless.
  { retainOnDelete: $app.removal !== 'remove', protect: $app.protect },
)
