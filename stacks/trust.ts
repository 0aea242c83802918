/**
 * A role's trust policy: that service alone may take the role. With `ofThisAccount`, for services that say on whose
 * behalf they come, only when it is ours.
 */
export function trustedBy(service: string, { ofThisAccount = false } = {}): $util.Output<string> {
  const { accountId } = aws.getCallerIdentityOutput()
  return aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ['sts:AssumeRole'],
        principals: [{ type: 'Service', identifiers: [service] }],
        conditions: ofThisAccount
          ? [{ test: 'StringEquals', variable: 'aws:SourceAccount', values: [accountId] }]
          : [],
      },
    ],
  }).json
}
