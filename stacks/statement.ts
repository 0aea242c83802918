/** One IAM statement, in the form that `sst.aws.Function` takes. */
export interface Statement {
  effect?: 'allow' | 'deny'
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: $util.Input<string>[] }[]
}
