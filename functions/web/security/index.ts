import { describeReceiver } from './describe.ts'
import { receiveEvent, receiveLegacyEvent } from './receive.ts'

export const routes = [describeReceiver, receiveEvent, receiveLegacyEvent]
