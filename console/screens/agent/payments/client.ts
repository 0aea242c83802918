import { Wallets, Withdrawals } from '../../../../clients/typescript/resources/money.ts'
import { client } from '../../../base/platform.ts'

export const wallets = new Wallets(client)
export const withdrawals = new Withdrawals(client)
