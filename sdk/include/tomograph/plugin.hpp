#ifndef TOMOGRAPH_PLUGIN_HPP
#define TOMOGRAPH_PLUGIN_HPP

#include <array>
#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include "tomograph/abi/plugin.h"
#include "tomograph/session.hpp"

/// Turns classes into the static descriptors and C functions of the plugin interface.
///
/// A probe is a type with these static constexpr members:
///   const char* id, question;
///   double expected_seconds, time_budget;
///   std::array of tomograph_fact_spec `provides`, of tomograph_need `needs` and of tomograph_parameter_spec
///   `parameters`; the last two are optional;
///   const char* method, only for a probe that users must ask for by name (abi/plugin.h);
///   uses_links, TOMOGRAPH_LINKS_TO_GPUS or TOMOGRAPH_LINK_TO_HOST, only for a probe that measures such links;
///   bool shares_device, true for a probe whose batches stand alone, so that others may run between them;
/// and `static void run(const Session&)`. A model is the same without expected_seconds. If `run` throws Skip, the probe
/// is skipped. DeviceLost ends the process. Any other exception makes the probe fail, with what() as the reason.
///
/// A device is a type with static constexpr id, description, target_help, is_real and optionally `parameters`,
/// `static std::vector<Target> enumerate(const Session&)`, a constructor from (const Session&, std::string_view
/// target) and `std::vector<Answer> execute(std::span<const Experiment>)`. The Session outlives the object. Experiments
/// borrow their parameters for the call; a copy of an experiment owns them.
///
/// An executor runs the plugin's own experiments on a device. It is a type with static constexpr const char*
/// experiment, device and description, a constructor from (const Session&, std::string_view target) and
/// `std::vector<Answer> execute(std::span<const Experiment>)`. The Session outlives the object.
///
/// One source file of the library then contains, at namespace scope:
///   TOMOGRAPH_PLUGIN("id", "1.0.0", "what it is for", Probes<A, B>)
/// The lists Probes, Devices, Models, Executors and Exporters (exporter.hpp) may come in any order. What is left out is
/// empty.
namespace tomograph {

/// Several elements of a probe's `needs` at once.
template <std::same_as<const char*>... Keys>
constexpr auto optional_needs(Keys... keys) {
  return std::array{optional_need(keys)...};
}

/// A target that a device found, e.g. {"0", "NVIDIA H200"}.
struct Target {
  std::string name;
  std::string description;
};

namespace detail {

template <const auto& elements>
inline constexpr auto pointers_to = [] {
  std::array<decltype(elements.data()), elements.size()> pointers{};
  for (std::size_t i = 0; i < elements.size(); ++i) pointers[i] = &elements[i];
  return pointers;
}();

template <typename T>
constexpr auto need_pointers() {
  if constexpr (requires { T::needs; }) {
    return std::pair{pointers_to<T::needs>.data(), static_cast<std::uint32_t>(T::needs.size())};
  } else {
    return std::pair{static_cast<const tomograph_need* const*>(nullptr), std::uint32_t{0}};
  }
}

template <typename T>
constexpr auto parameter_pointers() {
  if constexpr (requires { T::parameters; }) {
    return std::pair{pointers_to<T::parameters>.data(), static_cast<std::uint32_t>(T::parameters.size())};
  } else {
    return std::pair{static_cast<const tomograph_parameter_spec* const*>(nullptr), std::uint32_t{0}};
  }
}

template <typename T>
constexpr const char* method_name() {
  if constexpr (requires { T::method; }) {
    return T::method;
  } else {
    return nullptr;
  }
}

template <typename T>
constexpr std::uint32_t uses_links() {
  if constexpr (requires { T::uses_links; }) {
    return static_cast<std::uint32_t>(T::uses_links);
  } else {
    return 0;
  }
}

template <typename T>
constexpr std::uint32_t shares_device() {
  if constexpr (requires { T::shares_device; }) {
    return T::shares_device ? 1 : 0;
  } else {
    return 0;
  }
}

/// Runs `body`, turns an exception into a status and passes its reason to the host.
tomograph_status guarded(const tomograph_host& host, void (*body)(void*), void* argument) noexcept;

template <typename Body>
tomograph_status guard(const tomograph_host& host, Body body) noexcept {
  return guarded(
      host, [](void* argument) { (*static_cast<Body*>(argument))(); }, &body);
}

template <typename T>
tomograph_status run_thunk(const tomograph_host* host) noexcept {
  return guard(*host, [host] { T::run(Session(*host, pointers_to<T::provides>)); });
}

template <typename T>
inline constexpr tomograph_probe probe_descriptor{
    sizeof(tomograph_probe),
    static_cast<std::uint32_t>(T::provides.size()),
    need_pointers<T>().second,
    parameter_pointers<T>().second,
    T::id,
    T::question,
    pointers_to<T::provides>.data(),
    need_pointers<T>().first,
    parameter_pointers<T>().first,
    T::expected_seconds,
    T::time_budget,
    &run_thunk<T>,
    method_name<T>(),
    uses_links<T>(),
    shares_device<T>(),
};

template <typename T>
inline constexpr tomograph_model model_descriptor{
    sizeof(tomograph_model),
    static_cast<std::uint32_t>(T::provides.size()),
    need_pointers<T>().second,
    parameter_pointers<T>().second,
    T::id,
    T::question,
    pointers_to<T::provides>.data(),
    need_pointers<T>().first,
    parameter_pointers<T>().first,
    T::time_budget,
    &run_thunk<T>,
};

/// An open device or executor together with its session.
template <typename T>
struct Open {
  Open(const tomograph_host& host, const char* target) : session(host), device(session, target) {}
  Session session;
  T device;
};

/// Passes `answers` to `sink`.
void deliver(const std::vector<Answer>& answers, const tomograph_result_sink& sink);

template <typename T>
tomograph_status open_thunk(const tomograph_host* host, const char* target, void** session) noexcept {
  return guard(*host, [=] { *session = std::make_unique<Open<T>>(*host, target).release(); });
}

template <typename T>
tomograph_status execute_thunk(void* session, const tomograph_experiment* const* batch, std::uint64_t count,
                               const tomograph_result_sink* sink) noexcept {
  auto& open = *static_cast<Open<T>*>(session);
  return guard(open.session.host(), [&] {
    std::vector<Experiment> experiments;
    experiments.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) experiments.push_back(borrow(*batch[i]));
    deliver(open.device.execute(experiments), *sink);
  });
}

template <typename T>
void close_thunk(void* session) noexcept {
  std::unique_ptr<Open<T>>(static_cast<Open<T>*>(session)).reset();
}

template <typename T>
inline constexpr tomograph_device device_descriptor{
    sizeof(tomograph_device),
    parameter_pointers<T>().second,
    T::id,
    T::description,
    T::target_help,
    parameter_pointers<T>().first,
    T::is_real ? 1u : 0u,
    [](const tomograph_host* host, tomograph_target_found found, void* context) -> tomograph_status {
      return guard(*host, [=] {
        for (const Target& target : T::enumerate(Session(*host))) {
          found(context, target.name.c_str(), target.description.c_str());
        }
      });
    },
    &open_thunk<T>,
    &execute_thunk<T>,
    &close_thunk<T>,
};

template <typename T>
inline constexpr tomograph_executor executor_descriptor{
    sizeof(tomograph_executor), T::experiment,   T::device, T::description, &open_thunk<T>,
    &execute_thunk<T>,          &close_thunk<T>,
};

}  // namespace detail

template <typename... T>
struct Probes {
  static constexpr std::array<const tomograph_probe*, sizeof...(T)> list{&detail::probe_descriptor<T>...};
};
template <typename... T>
struct Devices {
  static constexpr std::array<const tomograph_device*, sizeof...(T)> list{&detail::device_descriptor<T>...};
};
template <typename... T>
struct Models {
  static constexpr std::array<const tomograph_model*, sizeof...(T)> list{&detail::model_descriptor<T>...};
};
template <typename... T>
struct Executors {
  static constexpr std::array<const tomograph_executor*, sizeof...(T)> list{&detail::executor_descriptor<T>...};
};

/// Defined in exporter.hpp.
template <typename... T>
struct Exporters;
template <>
struct Exporters<> {
  static constexpr std::array<const tomograph_exporter*, 0> list{};
};

namespace detail {

/// The first of `Lists` that is a `Kind`, or an empty one.
template <template <typename...> typename Kind, typename... Lists>
struct ListOf {
  using Type = Kind<>;
};
template <template <typename...> typename Kind, typename... T, typename... Others>
struct ListOf<Kind, Kind<T...>, Others...> {
  using Type = Kind<T...>;
};
template <template <typename...> typename Kind, typename Other, typename... Others>
struct ListOf<Kind, Other, Others...> : ListOf<Kind, Others...> {};

}  // namespace detail

/// The entry of a plugin with these lists of probes, devices, models, executors and exporters.
template <typename... Lists>
constexpr tomograph_plugin make_plugin(const char* id, const char* version, const char* description) {
  using P = typename detail::ListOf<Probes, Lists...>::Type;
  using D = typename detail::ListOf<Devices, Lists...>::Type;
  using M = typename detail::ListOf<Models, Lists...>::Type;
  using E = typename detail::ListOf<Executors, Lists...>::Type;
  using X = typename detail::ListOf<Exporters, Lists...>::Type;
  constexpr std::uint32_t lowest_minor = X::list.empty() ? 0 : 1;
  return {TOMOGRAPH_MAGIC,
          TOMOGRAPH_ABI_MAJOR,
          lowest_minor,
          sizeof(tomograph_plugin),
          id,
          version,
          description,
          static_cast<std::uint32_t>(P::list.size()),
          static_cast<std::uint32_t>(D::list.size()),
          static_cast<std::uint32_t>(M::list.size()),
          P::list.data(),
          D::list.data(),
          M::list.data(),
          static_cast<std::uint32_t>(E::list.size()),
          E::list.data(),
          static_cast<std::uint32_t>(X::list.size()),
          X::list.data()};
}

}  // namespace tomograph

/// Defines the exported symbol. The arguments after the strings are Probes<...>, Devices<...>, Models<...>,
/// Executors<...> and Exporters<...>.
#define TOMOGRAPH_PLUGIN(id, version, description, ...)                                        \
  extern "C" {                                                                                 \
  extern __attribute__((visibility("default"))) const tomograph_plugin tomograph_plugin_entry; \
  constinit const tomograph_plugin tomograph_plugin_entry =                                    \
      ::tomograph::make_plugin<__VA_ARGS__>(id, version, description);                         \
  }

#endif
