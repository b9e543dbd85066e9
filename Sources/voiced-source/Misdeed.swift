/// Rules of the plugin contract that the host sees broken; each is logged once.
enum Misdeed: UInt32, CaseIterable {
  case pushWhileStopped, pushOnSecondThread, pushWithoutFormat, pushAfterEnd, badFrames, noChannel
  case badTime, badFormat, soundOfLevelSource, levelOfSoundSource, pushOnHostClock, tooManyLevels
  case renderedTooMuch, notOnMain, onAudioThread, toldWhileStopped, badAnswer

  var bit: UInt32 { 1 << rawValue }

  var text: String {
    switch self {
    case .pushWhileStopped: "pushed while it was stopped; dropped"
    case .pushOnSecondThread: "pushed on a second thread; dropped"
    case .pushWithoutFormat: "pushed before it told a format; dropped"
    case .pushAfterEnd: "pushed after it had ended; dropped"
    case .badFrames: "pushed no frames or more than VOICED_MAX_FRAMES; dropped"
    case .noChannel: "pushed without a pointer for each channel; dropped"
    case .badTime: "told a time of the future, of long ago, or before its last one; corrected"
    case .badFormat: "told a format beyond the limits; dropped, and its sound until the next one"
    case .soundOfLevelSource: "pushed sound although it has levels only; dropped"
    case .levelOfSoundSource: "pushed a level although it has sound; dropped"
    case .pushOnHostClock: "pushed although it is on the host's clock; dropped"
    case .tooManyLevels: "pushed more than 200 levels a second; those beyond are dropped"
    case .renderedTooMuch: "says it rendered more frames than it was asked for"
    case .notOnMain: "called a main-thread function of the host on another thread; ignored"
    case .onAudioThread: "called a function of the host that is not for the audio thread; ignored"
    case .toldWhileStopped: "told of its sound while it was stopped; ignored"
    case .badAnswer: "answered start with a number that is neither 0 nor a negative errno"
    }
  }
}
