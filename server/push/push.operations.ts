import {
  deviceRef,
  pushChoices,
  pushDevice,
  pushSettings,
  subscribeRequest,
} from '#contracts/push.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { removeDevice, subscribe } from '#server/push-devices/manage-devices.ts'
import { getPushSettings } from './get-push-settings.query.ts'
import { requestTest } from './request-messages.ts'
import { saveChoices } from './save-choices.ts'

/** Devices and notifications: each account has its own, and sees no other's. They are of the console alone. */
export const pushOperations = operations('push', {
  settings: read('push.own', {
    summary: 'Get the devices and notification choices of one’s own account',
    rest: null,
    output: pushSettings,
    run: ({ services, caller }) => getPushSettings(services, caller),
  }),
  choose: write('push.own', {
    summary: 'Choose what to be notified of',
    rest: null,
    input: pushChoices,
    output: pushChoices,
    run: ({ services, caller }, input) => saveChoices(services, input, caller),
  }),
  subscribe: write('push.own', {
    summary: 'Add a browser to one’s own devices',
    rest: null,
    input: subscribeRequest,
    output: pushDevice,
    run: ({ services, caller }, input) => subscribe(services, input, caller),
  }),
  remove: write('push.own', {
    summary: 'Remove a device',
    rest: null,
    input: deviceRef,
    output: deviceRef,
    run: ({ services, caller }, input) => removeDevice(services, input, caller),
  }),
  test: write('push.own', {
    summary: 'Send a test notification to a device',
    rest: null,
    input: deviceRef,
    output: deviceRef,
    run: ({ services, caller }, input) => requestTest(services, input, caller),
  }),
})
