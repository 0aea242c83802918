import { named } from './names.ts'

const { accountId } = aws.getCallerIdentityOutput()
const { partition } = aws.getPartitionOutput()

/** The one role that may use the key; it is declared with its function. */
const signer = $interpolate`arn:${partition}:iam::${accountId}:role/${named('signer')}`

/**
 * The key by which the signer seals the keys of wallets. The account administers it; a policy of another role cannot let
 * that role use it. KMS rotates it by itself, and opens what it sealed before.
 */
export const walletKey = new aws.kms.Key('WalletKey', {
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
})
