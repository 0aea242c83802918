/**
 * Returns a role's trust policy: only that service may assume the role. `ofThisAccount` also requires that the service acts
 * for this account, if the service reports that.
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
